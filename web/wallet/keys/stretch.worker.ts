import { type KeySettings, stretch } from './vault.ts';

/** A page that computes for a second does not answer for a second; here nobody waits for it. */
self.onmessage = ({ data }: MessageEvent<Readonly<{ passphrase: string; settings: KeySettings }>>) => {
  const stretched = stretch(data.passphrase, data.settings);
  self.postMessage(stretched, { transfer: [stretched.buffer] });
};
