import { type CallToolResult, type ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { type z } from 'zod';
import { type PaymentsOfConnection } from './payments-of-connection.ts';
import { type WalletConnection } from './wallet-connection.ts';

/** What a tool gets besides its arguments. */
export type ToolContext = Readonly<{
  wallet: WalletConnection;
  /** The payments of this connection, from both APIs. */
  payments: PaymentsOfConnection;
  signal: AbortSignal;
  /** Sent to the client if it asked for progress; does nothing otherwise. */
  progress(step: Readonly<{ progress: number; total: number; message: string }>): Promise<void>;
  /** Asks the person yes or no, if the client can; undefined if it cannot. */
  confirm(question: string): Promise<boolean | undefined>;
}>;

export type ToolAnswer = Readonly<{ structured: Record<string, unknown>; images?: readonly string[] }>;

export type Tool = Readonly<{
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  annotations: ToolAnnotations;
  run(args: never, context: ToolContext): Promise<ToolAnswer>;
}>;

type Parts<Input extends z.ZodObject, Output extends z.ZodObject> = Omit<Tool, 'input' | 'output' | 'run'> &
  Readonly<{
    input: Input;
    output: Output;
    run(
      args: z.output<Input>,
      context: ToolContext,
    ): Promise<Readonly<{ structured: z.input<Output>; images?: readonly string[] }>>;
  }>;

/** Ties a tool's arguments and result to its schemas. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(parts: Parts<Input, Output>): Tool => parts;

export type { CallToolResult };
