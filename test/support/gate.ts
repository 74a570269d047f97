export type Gate = Readonly<{ open: () => void; opened: Promise<void> }>;

/** What a test lets happen at the moment it chooses. */
export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}
