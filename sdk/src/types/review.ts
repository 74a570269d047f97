export type NoticeSeverity = 'info' | 'warning' | 'danger';

/** Something to know before approving, based on the log. */
export type ReviewNotice = Readonly<{
  code: string;
  severity: NoticeSeverity;
  message: string;
  since?: string;
  /** Other requests it refers to. */
  request_ids?: readonly string[];
  /** What the agent called that request. */
  title?: string;
}>;

export type ReviewFacts = Readonly<{
  /** By this device, to this recipient. */
  confirmed_payments: number;
  last_confirmed_at: string | null;
  recipient_version: Readonly<{
    recipient_version_id: string;
    number: number;
    created_at: string;
    activated_at: string | null;
    evidence_id: string | null;
    evidence_digest: string | null;
    verified_at: string | null;
  }> | null;
  domain: Readonly<{ domain: string; method: string; proven_at: string }> | null;
  agent: Readonly<{ agent_id: string; name: string; credential_since: string | null }> | null;
  connection: Readonly<{ connection_id: string; created_at: string; scopes: readonly string[] }> | null;
}>;

/** One event in a payment's life. */
export type TimelineEntry = Readonly<{
  event_id: string;
  type: string;
  occurred_at: string;
  actor: Readonly<{ kind: string; id?: string; name?: string | null }>;
  /** What the actor authenticated with. */
  credential?: Readonly<{ kind: string; id?: string }> | null;
  status?: string;
  previous_status?: string | null;
  /** In one sentence. */
  summary?: string;
  data?: Readonly<Record<string, unknown>>;
  /** What it is based on. */
  evidence?: Readonly<Record<string, unknown>> | null;
}>;

/** What the person who decides is shown next to the payment itself. */
export type Review = Readonly<{ facts: ReviewFacts; notices: readonly ReviewNotice[] }>;

/** What concerns a device, as its feed reports it. */
export type DeviceEvent = Readonly<{
  cursor: number;
  event_id: string;
  type: string;
  occurred_at: string;
  data: Readonly<Record<string, unknown>>;
}>;

export type DeviceEventPage = Readonly<{
  events: readonly DeviceEvent[];
  next_cursor: number;
  newest_cursor: number;
  has_more: boolean;
}>;
