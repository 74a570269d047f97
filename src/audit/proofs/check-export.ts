import { sha256 } from '@noble/hashes/sha256';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { type CheckOptions, keyWords, signatureProblems, statementKeyProblems } from './check-proof.ts';
import { type Checkpoint, type PublicKey } from './checkpoint.ts';
import { type Endorsement } from './endorsements.ts';
import { sealBytes, type SealStatement, statementProblem } from './extent.ts';
import { formProblems, unknownMembers } from './file-form.ts';
import { canonical, leafHash, type ProvenEvent } from './leaf.ts';
import { parseHash, RootOfAll, rootFromInclusion } from './merkle.ts';
import { NEVER_PROVEN, failed, type Verdict } from './verdict.ts';

/** An export is a line that says what it is, a line for each event, and a line that seals it; each in RFC 8785 form. */
export type ExportHeader = Readonly<{ format: 'svc.export.v1'; scope: string; origin: string; tree_size: number }>;
export type ExportedEvent = ProvenEvent & Readonly<{ leaf_index: number; inclusion?: readonly string[] }>;
export type ExportSeal = Readonly<{
  checkpoint: Checkpoint;
  keys: readonly PublicKey[];
  endorsements?: readonly Endorsement[];
  events: number;
  /** Of every byte before this line. */
  sha256: string;
  /** For a part of the log: signed, because nothing else shows that the part is complete. */
  statement?: SealStatement;
}>;

const SEAL = ['checkpoint', 'events', 'sha256', 'statement'];
const MAX_PROBLEMS = 20;

/** Reads an export line by line, and keeps no more of it than a version for each stream. */
export class ExportCheck {
  private readonly problems: string[] = [];
  private readonly digest = sha256.create();
  private readonly all = new RootOfAll();
  private readonly versions = new Map<string, number>();
  private header: ExportHeader | undefined;
  private roots = new Map<string, string>();
  private events = 0;
  private lastIndex = -1;
  private lines = 0;
  private held: string | undefined;

  constructor(private readonly options: CheckOptions = {}) {}

  /** One line without its end. The last one is the seal, so each is judged only when the next one arrives. */
  line(text: string): void {
    // No more can be said about it, however long it is.
    if (this.problems.length >= MAX_PROBLEMS) return;
    if (this.held !== undefined) this.take(this.held);
    this.held = text;
  }

  end(): Verdict {
    const seal = this.held === undefined ? undefined : this.read<ExportSeal>(this.held, this.lines + 1);
    if (this.header === undefined || seal === undefined) this.problem('the export has no header line or no final line');
    else this.checkSeal(this.header, seal);
    if (this.header === undefined || seal === undefined || this.problems.length > 0) return failed(...this.problems);
    return this.verdict(this.header, seal);
  }

  private take(text: string): void {
    this.lines += 1;
    this.digest.update(utf8ToBytes(`${text}\n`));
    const line = this.read<ExportHeader & ExportedEvent>(text, this.lines);
    if (line === undefined) return;
    if (this.lines === 1) {
      if (line.format !== 'svc.export.v1') this.problem('line 1 is not the header of an export');
      for (const problem of unknownMembers('header', line)) this.problem(problem);
      this.header = line;
      return;
    }
    try {
      for (const problem of unknownMembers('line', line)) this.problem(`line ${this.lines}: ${problem}`);
      this.takeEvent(line);
    } catch (error) {
      this.problem(`line ${this.lines} is not an event (${error instanceof Error ? error.message : 'unreadable'})`);
    }
  }

  private takeEvent({ leaf_index, inclusion, ...event }: ExportedEvent): void {
    this.events += 1;
    const where = `line ${this.lines} (event ${event.version} of ${event.stream})`;
    if (leaf_index <= this.lastIndex) this.problem(`${where} is not in the order of the log`);
    this.lastIndex = leaf_index;
    const due = (this.versions.get(event.stream) ?? 0) + 1;
    if (event.version !== due) this.problem(`${where} should be event ${due}: one is missing, doubled or out of order`);
    this.versions.set(event.stream, event.version);
    const leaf = leafHash(event);
    if (inclusion === undefined) {
      if (leaf_index !== this.all.size) this.problem(`${where} is not event ${this.all.size} of the whole log`);
      this.all.add(leaf);
      return;
    }
    const root = rootFromInclusion(leaf, leaf_index, this.header?.tree_size ?? 0, inclusion.map(parseHash));
    if (root === undefined) this.problem(`${where} has a proof that does not fit a log of this size`);
    else if (!this.roots.has(root)) this.roots.set(root, where);
  }

  private checkSeal(header: ExportHeader, seal: ExportSeal): void {
    try {
      const { checkpoint } = seal;
      if (header.origin !== checkpoint.origin || header.tree_size !== checkpoint.tree_size) {
        this.problem('line 1 names another log than the checkpoint');
      }
      if (seal.events !== this.events) this.problem(`${seal.events} events were exported, but ${this.events} are here`);
      if (seal.sha256 !== bytesToHex(this.digest.digest())) this.problem('the lines are not those that were exported');
      if (header.scope === 'all' && (this.all.size !== checkpoint.tree_size || this.all.root() !== checkpoint.root)) {
        this.problem(`the ${this.all.size} events here are not the ${checkpoint.tree_size} that were signed`);
      }
      if (header.scope !== 'all' && this.all.size > 0) this.problem('an event carries no proof');
      for (const [root, where] of this.roots) {
        if (root !== checkpoint.root) this.problem(`${where} is not in the signed log as it is here`);
      }
      // The signature check is expensive, so it comes last and only if nothing else is wrong.
      if (this.problems.length > 0) return;
      for (const problem of formProblems(seal, SEAL)) this.problem(problem);
      for (const problem of unknownMembers('checkpoint', checkpoint)) this.problem(problem);
      for (const problem of unknownMembers('statement', seal.statement)) this.problem(problem);
      for (const problem of signatureProblems([checkpoint], seal, this.options)) this.problem(problem);
      if (header.scope !== 'all') this.checkStatement(header, seal);
    } catch (error) {
      this.problem(`the last line is not a seal (${error instanceof Error ? error.message : 'unreadable'})`);
    }
  }

  /** The whole log has its root; for a part, the service states under its key that it is complete. */
  private checkStatement({ scope }: ExportHeader, seal: ExportSeal) {
    const { checkpoint, keys, events, sha256: digest, statement } = seal;
    if (statement === undefined) {
      this.problem(
        'it carries no signed statement of what belongs to it, so anything may have been left out: export again',
      );
      return;
    }
    const about = { scope, events, sha256: digest, key_id: statement.key_id };
    const problem = statementProblem(statement, sealBytes(checkpoint, about), keys);
    if (problem !== undefined) this.problem(problem);
    for (const untrusted of statementKeyProblems(statement.key_id, seal, this.options)) this.problem(untrusted);
    if (events === 0) this.problem('it contains no events');
  }

  private verdict({ scope }: ExportHeader, seal: ExportSeal): Verdict {
    const { checkpoint, events } = seal;
    const { proven, open } = keyWords(checkpoint, seal, this.options);
    const moment = `when its first ${checkpoint.tree_size} events were signed at ${checkpoint.time}`;
    const whole = scope === 'all';
    return {
      ok: true,
      problems: [],
      proven: [
        ...proven,
        whole
          ? `These ${events} events are the whole log of ${checkpoint.origin}, unchanged and in order, ${moment}.`
          : `Each of these ${events} events was in the log of ${checkpoint.origin} exactly as it is here, ${moment}.`,
        `Of each of the ${this.versions.size} streams here, no event is missing${whole ? '' : `, and they are all of ${scope}: the key says so`}.`,
      ],
      notProven: [
        ...open,
        `What happened after ${checkpoint.time}.`,
        'What the veiled members contain (hashes and sealed texts): their digests are proven, not shown.',
        ...NEVER_PROVEN,
      ],
    };
  }

  /** Undefined, and a problem, unless the line is in its canonical form, which `null` is of nothing here. */
  private read<T>(text: string, number: number): T | undefined {
    try {
      const value = JSON.parse(text) as T | null;
      if (value !== null && canonical(value) === text) return value;
      this.problem(`line ${number} is not in canonical form`);
    } catch {
      this.problem(`line ${number} is not JSON`);
    }
    return undefined;
  }

  private problem(text: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(text);
  }
}
