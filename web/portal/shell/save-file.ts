/** An ordinary download of text that was made here. */
export function saveFile(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after this turn; then nothing holds on to it.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
