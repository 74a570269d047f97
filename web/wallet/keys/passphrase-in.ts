/** As it was typed: spaces at its ends belong to a passphrase. */
export function passphraseIn(form: FormData, name = 'passphrase'): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
