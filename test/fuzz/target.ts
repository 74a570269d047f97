import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '../support/agent-payments';
import { createActiveAgent, createActiveRecipient } from '../support/agents';
import { type ServiceProcess, spawnService } from '../support/child';
import { freePort } from '../support/free-port';
import { connectAgent } from '../support/connections';
import { registerDevice } from '../support/devices';
import { type DnsResponder, startDnsResponder } from '../support/dns-responder';
import { signUpMerchant } from '../support/merchant';

/** The service in its own process, so that its memory can be measured from outside. */
export type Target = Readonly<{
  url: string;
  dataDir: string;
  dns: DnsResponder;
  process: ServiceProcess;
  /** The process's current memory in megabytes. */
  memory(): number;
  stop(): Promise<void>;
}>;

export async function startTarget(): Promise<Target> {
  const dns = await startDnsResponder();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port), BASE_URL: url, DATA_DIR: dataDir, DNS_SERVERS: dns.server, LOG_LEVEL: 'warn' };
  const process = await spawnService(env);
  return {
    url,
    dataDir,
    dns,
    process,
    memory: () => residentMegabytes(process.child.pid ?? 0),
    stop: async () => {
      process.child.kill('SIGTERM');
      await process.ended;
      await dns.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function residentMegabytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Where a stage is set up: a separate process, or the service inside a test. */
export type RunningService = Readonly<{ url: string; dataDir: string; dns: DnsResponder; baseUrl?: string }>;

/** A merchant with everything it needs, and a wallet that is connected to its agent. */
export async function setStage({ dns, url, dataDir, baseUrl = url }: RunningService) {
  const service = { url, dataDir };
  const merchant = await signUpMerchant(service, { dns });
  const agent = await createActiveAgent(service, merchant, { baseUrl });
  const recipient = await createActiveRecipient(service, merchant);
  const device = await registerDevice(service);
  const key = await createApiKey(service, merchant);
  const connection = await connectAgent(service, agent, device);
  return { baseUrl, merchant, agent, recipient, device, ...key, connection, headers: { 'x-svc-api-key': key.secret } };
}

export type Stage = Awaited<ReturnType<typeof setStage>>;

/** Ids of existing things, for paths that should resolve. */
export const idsOn = ({ merchant, agent, recipient, device, connection, apiKeyId }: Stage): readonly string[] => [
  merchant.domainId,
  agent.agentId,
  agent.credentialId,
  recipient.recipientId,
  recipient.recipientVersionId,
  device.deviceId,
  connection.connectionId,
  apiKeyId,
];
