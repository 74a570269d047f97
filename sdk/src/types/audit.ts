/** The service's signed statement on its whole log at a point in time. */
export type Checkpoint = Readonly<{
  origin: string;
  tree_size: number;
  root: string;
  time: string;
  key_id: string;
  signature: string;
}>;

export type AuditKey = Readonly<{
  key_id: string;
  alg: string;
  public_key: string;
  status: 'current' | 'retired';
  published_at: string;
}>;

/** Checked with `@svc/client/proofs`. `pending` counts events that the newest checkpoint does not cover yet. */
export type PaymentProof = Readonly<{
  format: 'svc.proof.v1';
  request_id: string;
  checkpoint: Checkpoint;
  keys: readonly Readonly<{ key_id: string; public_key: string }>[];
  events: readonly Readonly<{ leaf_index: number; event: object; inclusion: readonly string[] }>[];
  pending?: number;
}>;
