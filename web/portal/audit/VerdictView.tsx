import { type Verdict } from '../../../src/audit/proofs/verdict.ts';
import { Notice, Stack } from '../../ui/Layout.tsx';

/** The result of the check, what it proves, and what it does not. */
export const VerdictView = ({ verdict }: Readonly<{ verdict: Verdict }>) => (
  <div role="status">
    <Notice tone={verdict.ok ? 'good' : 'bad'} title={verdict.ok ? 'Holds' : 'Does not hold'}>
      <Stack>
        <List words={verdict.problems} />
        {verdict.ok && (
          <details>
            <summary>What it proves</summary>
            <List words={verdict.proven} />
          </details>
        )}
        {verdict.ok && verdict.notProven.length > 0 && (
          <details>
            <summary>What it does not prove</summary>
            <List words={verdict.notProven} />
          </details>
        )}
      </Stack>
    </Notice>
  </div>
);

const List = ({ words }: Readonly<{ words: readonly string[] }>) =>
  words.length === 0 ? null : (
    <ul>
      {words.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
