/** Plain curve arithmetic, slow and obvious: it finds the small-order points without knowing any of them. */
type Point = readonly [x: bigint, y: bigint];

export const P = 2n ** 255n - 19n;
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (value: bigint): bigint => ((value % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = mod(base), rest = exponent; rest > 0n; rest >>= 1n, square = mod(square * square)) {
    if (rest & 1n) result = mod(result * square);
  }
  return result;
}

const inverse = (value: bigint): bigint => power(value, P - 2n);
const D = mod(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);
const IDENTITY: Point = [0n, 1n];

const add = ([x1, y1]: Point, [x2, y2]: Point): Point => {
  const k = mod(D * mod(x1 * x2) * mod(y1 * y2));
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + k)), mod((y1 * y2 + x1 * x2) * inverse(1n - k))];
};

function times(point: Point, factor: bigint): Point {
  let result = IDENTITY;
  for (let doubled = point, rest = factor; rest > 0n; rest >>= 1n, doubled = add(doubled, doubled)) {
    if (rest & 1n) result = add(result, doubled);
  }
  return result;
}

/** A point with this y, if the curve has one. */
function pointAt(y: bigint): Point | undefined {
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  const root = power(u * inverse(v), (P + 3n) / 8n);
  const x = [root, mod(root * ROOT_OF_MINUS_ONE)].find((candidate) => mod(candidate * candidate * v - u) === 0n);
  return x === undefined ? undefined : [x, y];
}

export const encode = (y: bigint, sign: 0n | 1n): Buffer =>
  Buffer.from((y | (sign << 255n)).toString(16).padStart(64, '0'), 'hex').reverse();

/** A point times the group's prime order leaves its small-order part; the multiples of one of order 8 are all eight. */
function smallOrderPoints(): readonly Point[] {
  for (let y = 2n; ; y += 1n) {
    const point = pointAt(y);
    if (point === undefined) continue;
    const torsion = times(point, L);
    const [, fourfold] = times(torsion, 4n);
    if (fourfold === P - 1n) return Array.from({ length: 8 }, (_, factor) => times(torsion, BigInt(factor)));
  }
}

export const smallOrderEncodings: readonly Buffer[] = smallOrderPoints().map(([x, y]) =>
  encode(y, (x & 1n) as 0n | 1n),
);

/** Every alternative encoding of a small-order point: y one prime too large, or a sign where x is zero. */
export const nonCanonicalSmallOrderEncodings: readonly Buffer[] = [
  ...[0n, 1n].flatMap((y) => [encode(y + P, 0n), encode(y + P, 1n)]),
  encode(1n, 1n),
  encode(P - 1n, 1n),
];
