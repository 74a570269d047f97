import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AuditKey } from '../../../sdk/src/types/audit.ts';
import { type Verdict } from '../../../src/audit/proofs/verdict.ts';
import { ErrorNotice } from '../../live/ErrorNotice.tsx';
import { service } from '../../live/service.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { FileField } from '../../ui/Field.tsx';
import { Card, Facts, PageHead, Row, Section } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Time } from '../../ui/Time.tsx';
import { Loaded } from '../shell/Loaded.tsx';
import { useAction } from '../shell/use-action.ts';
import { checkFile } from './check-text.ts';
import { VerdictView } from './VerdictView.tsx';

export default function Audit() {
  const newest = useQuery({
    queryKey: ['payments', 'checkpoint'],
    queryFn: async ({ signal }) => (await service.checkpoints({ limit: 1 }, { signal })).checkpoints[0] ?? null,
    refetchInterval: 15_000,
  });
  const keys = useQuery({ queryKey: ['audit-keys'], queryFn: ({ signal }) => service.auditKeys({ signal }) });
  return (
    <>
      <PageHead title="Audit">
        Everything that happens is in one log that can only grow. The service signs it; you can check that yourself.
      </PageHead>
      <Section title="Newest checkpoint">
        <Loaded query={newest} lines={2}>
          {(checkpoint) =>
            checkpoint === null ? (
              <Empty title="Nothing has been signed yet">
                The first checkpoint follows the first event within seconds.
              </Empty>
            ) : (
              <Card>
                <Facts
                  facts={[
                    ['Signed', <Time key="at" at={checkpoint.time} />],
                    ['Events', checkpoint.tree_size],
                    ['Root', <code key="root">{checkpoint.root}</code>],
                    ['Key', <code key="key">{checkpoint.key_id}</code>],
                  ]}
                />
                <Row>
                  <CopyButton text={JSON.stringify(checkpoint)} label="Copy checkpoint" />
                </Row>
              </Card>
            )
          }
        </Loaded>
      </Section>
      <Section title="Check a proof">
        <CheckFile />
      </Section>
      <Section title="Keys">
        <Loaded query={keys}>
          {(known) => (
            <Table<AuditKey>
              label="Keys"
              rows={known}
              keyOf={({ key_id }) => key_id}
              columns={[
                { title: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
                { title: 'Public key', cell: ({ public_key }) => <code>{public_key}</code> },
                {
                  title: 'State',
                  cell: ({ status }) => (
                    <Status tone={status === 'current' ? 'good' : 'calm'}>
                      {status === 'current' ? 'Current' : 'Retired'}
                    </Status>
                  ),
                },
                { title: 'Published', cell: ({ published_at }) => <Time at={published_at} /> },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </>
  );
}

/** A chosen or dropped file is read and checked in the browser; nothing is uploaded. */
function CheckFile() {
  const [checked, setChecked] = useState<Readonly<{ name: string; verdict: Verdict }>>();
  const check = useAction(async (file: File) => {
    setChecked(undefined);
    setChecked({ name: file.name, verdict: await checkFile(file) });
  });
  const take = (files: FileList | null): void => {
    const [file] = files ?? [];
    if (file !== undefined) void check.run(file);
  };
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files);
      }}
    >
      <Card>
        <FileField
          label="Proof file"
          name="proof"
          accept=".json,application/json"
          hint="Choose a file or drop it here. It is checked in this browser and not uploaded."
          onChange={(event) => take(event.currentTarget.files)}
        />
        {check.error !== undefined && <ErrorNotice error={check.error} />}
        {checked !== undefined && (
          <>
            <p>
              <code>{checked.name}</code>
            </p>
            <VerdictView verdict={checked.verdict} />
          </>
        )}
      </Card>
    </div>
  );
}
