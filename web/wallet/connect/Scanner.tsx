import { useEffect, useRef, useState } from 'react';
import { pause } from '../../../sdk/src/pause.ts';
import { Muted, Notice } from '../../ui/Layout.tsx';
import { newDetector } from './detector.ts';
import styles from './Scanner.module.css';

const SCAN_INTERVAL_MS = 250;

/** Shows the camera's picture until it finds a QR code. */
export function Scanner({ onText }: Readonly<{ onText: (text: string) => void }>) {
  const video = useRef<HTMLVideoElement>(null);
  const found = useRef(onText);
  found.current = onText;
  const [isRefused, setRefused] = useState(false);

  useEffect(() => {
    const over = new AbortController();
    let stream: MediaStream | undefined;
    const stop = (): void => stream?.getTracks().forEach((track) => track.stop());
    const scan = async (): Promise<void> => {
      const detector = await newDetector();
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      if (over.signal.aborted || video.current === null) return stop();
      video.current.srcObject = stream;
      await video.current.play();
      while (!over.signal.aborted) {
        const [code] = await detector.detect(video.current).catch(() => []);
        if (over.signal.aborted) return;
        if (code !== undefined) return found.current(code.rawValue);
        await pause(SCAN_INTERVAL_MS, over.signal);
      }
    };
    scan().catch(() => {
      if (!over.signal.aborted) setRefused(true);
    });
    return () => {
      over.abort();
      stop();
    };
  }, []);

  if (isRefused) return <Notice tone="warn">The camera is not available. Type the code instead.</Notice>;
  return (
    <>
      <Muted>Hold the code in front of the camera. The picture never leaves this device.</Muted>
      <video ref={video} className={styles['video']} muted playsInline aria-label="What the camera sees" />
    </>
  );
}
