import { encode } from 'uqr';
import styles from './Qr.module.css';

/** Black on white in both colour schemes: cameras need it. */
export function Qr({ text, label }: Readonly<{ text: string; label: string }>) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className={styles['qr']}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <path d={dark.join('')} />
    </svg>
  );
}
