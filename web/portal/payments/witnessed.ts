/** Written into the page by the service: the networks on which it looks up reported transactions itself. */
const networks = document.querySelector('meta[name="witnessed-networks"]')?.getAttribute('content') ?? '';

export const isWitnessed = (network: string): boolean => networks.split(' ').includes(network);
