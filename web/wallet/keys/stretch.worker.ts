import { type KeySettings, stretch } from './vault.ts';

/** On the page, a second of computing would block the UI for a second; in a worker it does not. */
self.onmessage = ({ data }: MessageEvent<Readonly<{ passphrase: string; settings: KeySettings }>>) => {
  const stretched = stretch(data.passphrase, data.settings);
  self.postMessage(stretched, { transfer: [stretched.buffer] });
};
