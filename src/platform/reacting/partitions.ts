/** Enough for fair shares among a few instances, few enough for one small document. */
export const PARTITIONS: readonly string[] = Array.from({ length: 32 }, (_, index) => `p${index}`);

export const partitionOf = (id: string): string => PARTITIONS[hashOf(id) % PARTITIONS.length] as string;

/** Rendezvous hashing: when an instance comes or goes, only its own partitions move. */
export function ownerOf(partition: string, instances: readonly string[]): string | undefined {
  const ranked = instances.map((name) => ({ name, hash: hashOf(`${name} ${partition}`) }));
  return ranked.sort((one, other) => other.hash - one.hash || (one.name < other.name ? -1 : 1))[0]?.name;
}

/** FNV-1a, with the final mix of MurmurHash3 for names that differ only at the end. Runs for every message sent. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
