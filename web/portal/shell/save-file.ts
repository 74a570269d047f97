/** Downloads text that was created in the page. */
export function saveFile(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser reads it after this task; release it once that is done.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
