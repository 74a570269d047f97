export type NoticeSeverity = 'info' | 'warning' | 'danger';

/** Something to know before approving, from what the log says. */
export type ReviewNotice = Readonly<{
  code: string;
  severity: NoticeSeverity;
  message: string;
  since?: string;
  /** Other requests it speaks of. */
  request_ids?: readonly string[];
}>;

/** What a person who decides is shown beside the payment itself. */
export type Review = Readonly<{ facts: Readonly<Record<string, unknown>>; notices: readonly ReviewNotice[] }>;

/** What concerns a device, as its feed tells it. */
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
