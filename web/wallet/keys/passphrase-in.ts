/** As typed: leading and trailing spaces are part of a passphrase. */
export function passphraseIn(form: FormData, name = 'passphrase'): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
