export function lookAlikeTable(): Readonly<{ unicode: string; counts: number[]; likes: (string | number)[] }>;
