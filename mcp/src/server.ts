import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolResult,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { SvcError } from '../../sdk/src/index.ts';
import { PaymentsOfConnection } from './payments-of-connection.ts';
import { ErrorCatalogue, readResource, resources, resourceTemplates } from './resources.ts';
import { type Tool, type ToolContext } from './tool.ts';
import { failureOf, type ToolFailure } from './tool-errors.ts';
import { tools } from './tools/index.ts';
import { type WalletConnection } from './wallet-connection.ts';

const INSTRUCTIONS =
  'Ask people for payments. Connect a wallet once (connect_wallet, connection_status), choose a payee (list_payees), then request_payment. A successful request means that it waits for the person ' +
  'in their wallet; it is never proof of payment. Give every order an order_reference and reuse it when you repeat a call, with either tool: that never creates a second payment. ' +
  'Errors say what to do in what_to_do.';

/** Passes arguments that are not an object on to the code that checks them. */
const RAW_ARGUMENTS = 'svc/arguments';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The protocol's own schema would reject arguments that are not an object, or a name that is not a string, with a
 * protocol error that no model sees. Here they pass through and are reported like any other mistake.
 */
const CallSchema = z.object({
  method: z.literal('tools/call'),
  params: z.preprocess(
    (given) => {
      const { name, arguments: args, _meta, ...rest } = isObject(given) ? given : {};
      const meta = isObject(_meta) ? _meta : {};
      const odd = args === undefined || args === null || isObject(args) ? {} : { [RAW_ARGUMENTS]: args };
      return {
        ...rest,
        name: typeof name === 'string' ? name : String(JSON.stringify(name)),
        ...(isObject(args) ? { arguments: args } : {}),
        _meta: { ...meta, ...odd },
      };
    },
    z.looseObject({
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()).optional(),
      _meta: z.looseObject({ progressToken: z.union([z.string(), z.number()]).optional() }).optional(),
    }),
  ),
});

/** One conversation. All conversations of this process share the wallet connection. */
export function createServer(wallet: WalletConnection, catalogue = new ErrorCatalogue(wallet)): Server {
  const server = new Server(
    { name: 'svc-mcp', version: '0.1.0', title: 'svc payment requests' },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));

  server.setRequestHandler(CallSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const progressToken = params._meta?.progressToken;
    const context: ToolContext = {
      wallet,
      payments: new PaymentsOfConnection(wallet),
      signal: extra.signal,
      progress: async (step) => {
        if (progressToken === undefined) return;
        await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, ...step } });
      },
      confirm: (question) => confirmed(server, question),
    };
    try {
      return await called(params.name, params._meta?.[RAW_ARGUMENTS] ?? params.arguments ?? {}, context);
    } catch (error) {
      // Fetched only if the service refused the call: if it does not respond, the model would only wait longer.
      return failed(failureOf(error, error instanceof SvcError ? await catalogue.entries() : new Map()));
    }
  });

  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...resources] }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...resourceTemplates] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [await readResource(params.uri, wallet, catalogue)],
  }));
  return server;
}

const described = ({ name, title, description, input, output, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
  annotations: { title, ...annotations },
});

function schemaOf(schema: z.ZodObject, io: 'input' | 'output') {
  return z.toJSONSchema(schema, { io }) as { type: 'object'; properties?: Record<string, object>; required?: string[] };
}

async function called(name: string, args: unknown, context: ToolContext): Promise<CallToolResult> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) {
    return failed({
      code: 'unknown_tool',
      message: `Unknown tool: ${name.slice(0, 80)}.`,
      what_to_do: `Use one of: ${tools.map((one) => one.name).join(', ')}.`,
      safe_to_repeat: false,
    });
  }
  const read = tool.input.safeParse(args);
  if (!read.success) return failed(badArguments(read.error));
  const { structured, images = [] } = await tool.run(read.data as never, context);
  return {
    content: [
      { type: 'text', text: JSON.stringify(structured) },
      ...images.map((data) => ({ type: 'image' as const, data, mimeType: 'image/png' })),
    ],
    structuredContent: structured,
  };
}

const badArguments = ({ issues }: z.ZodError): ToolFailure => ({
  code: 'validation_failed',
  message:
    `The arguments are invalid: ${issues.map(({ path, message }) => `${path.join('.') || '(arguments)'}: ${message}`).join('; ')}.`.slice(
      0,
      2_000,
    ),
  what_to_do: 'Correct every argument named in issues and call the tool again. Nothing was done.',
  safe_to_repeat: false,
  issues: issues.map(({ code, path, message }) => ({ code, field: path.join('.'), message })),
});

const failed = (failure: ToolFailure): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(failure) }],
});

/** Asks the person yes or no, if the client can. Any failure to ask counts as not asked. */
async function confirmed(server: Server, message: string): Promise<boolean | undefined> {
  if (!server.getClientCapabilities()?.elicitation) return undefined;
  try {
    const { action, content } = await server.elicitInput({
      message,
      requestedSchema: {
        type: 'object',
        properties: { second_order: { type: 'boolean', title: 'Yes, pay a second time' } },
        required: ['second_order'],
      },
    });
    return action === 'accept' && content?.['second_order'] === true;
  } catch {
    return undefined;
  }
}
