// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** The service's signed statement on its whole log: the number of events, and the root over them (docs/adr/0009). */
export type CheckpointSigned = Readonly<{
  type: 'CheckpointSigned';
  data: Readonly<{
    origin: string;
    tree_size: number;
    root: string;
    time: string;
    key_id: string;
    signature: string;
  }>;
}>;

export type TransparencyLogEvent = CheckpointSigned;
