/** What the service wrote into the page: the networks on which it looks for reported transactions itself. */
const networks = document.querySelector('meta[name="witnessed-networks"]')?.getAttribute('content') ?? '';

export const isWitnessed = (network: string): boolean => networks.split(' ').includes(network);
