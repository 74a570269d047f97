// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
export type ApiKeyCreated = Readonly<{
  type: 'ApiKeyCreated';
  data: Readonly<{
    api_key_id: string;
    merchant_id: string;
    name: string;
    /** The secret's first characters, by which its owner tells keys apart. They repeat the id and open nothing. */
    prefix: string;
    token_hash: string;
    created_at: string;
  }>;
}>;

/** Not every use: at most one a minute. */
export type ApiKeyUsed = Readonly<{
  type: 'ApiKeyUsed';
  data: Readonly<{ api_key_id: string; merchant_id: string; used_at: string }>;
}>;

export type ApiKeyRevoked = Readonly<{
  type: 'ApiKeyRevoked';
  data: Readonly<{ api_key_id: string; merchant_id: string; revoked_at: string }>;
}>;

export type ApiKeyEvent = ApiKeyCreated | ApiKeyUsed | ApiKeyRevoked;
