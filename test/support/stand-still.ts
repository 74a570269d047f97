/** The whole process stands still for so long: no timer fires, and nothing is read. */
export const standStill = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
