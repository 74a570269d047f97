/** Blocks the whole process for this long: no timer fires, and nothing is read. */
export const standStill = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
