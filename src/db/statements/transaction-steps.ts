import type { BoundStatement } from "./statement.js";
import { TENANT_SETTING } from "../tenant.js";
import { type LocalSetting, setLocally, WITHOUT_JIT } from "./local-setting.js";
import { confirmEarlier } from "./synchronous-replication.js";
import type { CallProgress } from "../../telemetry/running-calls.js";

/** The steps of one transaction. */
export interface TransactionSteps<Row = unknown> {
  /** Run first and may refuse the rest: they take locks and read what the locks protect. */
  readonly guard?: readonly GuardStep[] | undefined;
  /** The writes, in this order. */
  readonly statements: readonly BoundStatement<Row>[];
  /**
   * Whether they are right on any isolation level. Without a guard, a pool then sends them without BEGIN and COMMIT: what arrives together
   * is one transaction anyway, on the level that is the database's default.
   */
  readonly atAnyLevel?: boolean | undefined;
}

/**
 * A statement that sees everything committed before the statement began, not only before the transaction
 * began.
 */
export interface GuardStep<Row = unknown> {
  readonly statement: BoundStatement<Row>;
  /** Throws when the transaction must be rolled back. */
  check?(rows: readonly Row[]): void;
}

/** Sends one statement of an open transaction, and returns its rows. */
export type SendStatement = <Row>(statement: BoundStatement<Row>) => Promise<Row[]>;

/** Sends the steps one by one in an open transaction. Returns the rows of the statements. */
export async function sendSteps<Row>(
  { guard = [], statements }: TransactionSteps<Row>,
  send: SendStatement,
): Promise<Row[][]> {
  for (const step of guard) {
    // Not as the argument of an optional call, which would not be sent where there is no check.
    const rows = await send(step.statement);
    step.check?.(rows);
  }
  const rows: Row[][] = [];
  for (const statement of statements) rows.push(await send(statement));
  return rows;
}

/**
 * The isolation level of every transaction, whatever the database's default is. On higher levels all
 * statements would see what the first one saw (C11).
 */
const ISOLATION_LEVEL = "read committed";

export const BEGIN = bare(`begin isolation level ${ISOLATION_LEVEL}`);
export const COMMIT = bare("commit");
export const ROLLBACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}

/** The statements that set up a transaction for a call, before its own. Most calls need none. */
export function scopeOf(context: RunContext): BoundStatement<unknown>[] {
  const { lockTimeoutMs, confirmsEarlier } = context;
  const scope: BoundStatement<unknown>[] = [];
  for (const setting of settingsOf(context)) scope.push(setLocally(setting));
  if (lockTimeoutMs !== undefined) scope.push(setLocally(["lock_timeout", `${lockTimeoutMs}ms`]));
  if (confirmsEarlier === true) scope.push(confirmEarlier());
  return scope;
}

/** The settings that a call also needs in a transaction of the application. */
export function settingsOf({ tenantId, withoutJit }: RunContext): LocalSetting[] {
  const settings: LocalSetting[] = [];
  if (tenantId !== undefined) settings.push([TENANT_SETTING, tenantId]);
  if (withoutJit === true) settings.push(WITHOUT_JIT);
  return settings;
}

/** Settings for the statements of one call. */
export interface RunContext {
  /** Ends the call: the server cancels its statement. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The timeout of one statement in milliseconds, after which the server cancels it; `undefined` means no
   * limit.
   */
  readonly statementTimeoutMs?: number | undefined;
  /** How long each statement waits for one lock, in milliseconds. PGlite ignores it, since it has one connection. Default: no limit. */
  readonly lockTimeoutMs?: number | undefined;
  /** The tenant whose rows the statements see under row-level security. */
  readonly tenantId?: string | undefined;
  /**
   * Whether the commit waits for synchronous standbys even if it changes nothing: an earlier attempt may have
   * stored everything.
   */
  readonly confirmsEarlier?: boolean | undefined;
  /**
   * Whether the server must not compile the statements by JIT. It estimates work in bulk so high that it would, and then takes several
   * times as long. PGlite has no JIT.
   */
  readonly withoutJit?: boolean | undefined;
  /** Told what the statements wait for. */
  readonly progress?: CallProgress | undefined;
}
