/** How to register this server with common clients. Credentials stay in their file and do not appear here. */
export function clientConfigs(
  command: readonly [string, ...string[]],
): readonly Readonly<{ client: string; where: string; text: string }>[] {
  const [program, ...args] = command;
  const entry = { command: program, args };
  const servers = JSON.stringify({ mcpServers: { svc: entry } }, null, 2);
  const quoted = command.map((part) =>
    /^[\w./:@-]+$/.test(part) ? part : `'${part.replaceAll("'", String.raw`'\''`)}'`,
  );
  return [
    { client: 'Claude Desktop', where: 'claude_desktop_config.json', text: servers },
    { client: 'Claude Code', where: 'in a terminal', text: `claude mcp add svc -- ${quoted.join(' ')}` },
    { client: 'Cursor', where: '~/.cursor/mcp.json', text: servers },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: JSON.stringify({ servers: { svc: { type: 'stdio', ...entry } } }, null, 2),
    },
  ];
}
