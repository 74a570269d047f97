import { Agent, request } from 'node:http';

/** Registers devices over keep-alive connections until the server stops listening; reports missing responses. */
export function keepRegistering(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const dropped: string[] = [];
  let registered = 0;
  let reached: () => void = () => undefined;
  let goal = Infinity;

  const once = (): Promise<'again' | 'over'> =>
    new Promise((resolve) => {
      const begun = performance.now();
      const sent = request(`${url}/v1/wallet-devices`, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json' },
      });
      sent.on('response', (response) => {
        response.resume().on('end', () => {
          // A late call gets a response that says so, which is not a drop; but nothing was registered.
          if (response.statusCode === 201) registered += 1;
          if (registered >= goal) reached();
          resolve('again');
        });
        response.on('error', (error) => dropped.push(error.message));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // The server no longer listens: this call was never accepted.
        if (error.code !== 'ECONNREFUSED') {
          const ago = Math.round(performance.now() - begun);
          dropped.push(
            `${error.message}, ${ago} ms after it was sent on a ${sent.reusedSocket ? 'kept' : 'new'} connection`,
          );
        }
        resolve('over');
      });
      sent.end('{"name":"Phone"}');
    });
  const worker = async (): Promise<void> => {
    while ((await once()) === 'again');
  };
  const finished = Promise.all(Array.from({ length: connections }, worker)).then(() => {
    agent.destroy();
    return { registered, dropped };
  });
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      goal = count;
      reached = resolve;
    });
  return { finished, until };
}
