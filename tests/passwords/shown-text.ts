import { inspect } from "node:util";
import { openDatabase } from "../../src/db/index.js";
import { type DatabaseSource, PostgresSaver } from "../../src/index.js";
import { migrateToLatest, migrationStatus } from "../../src/migrations/index.js";
import { cli } from "../cli/cli.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";

/**
 * Everything that the library shows of a source: errors with their causes, health, spans, metrics and log
 * lines.
 */
export async function shownByLibrary(open: () => DatabaseSource): Promise<string> {
  const shown: unknown[] = [];
  const logger = new RecordingLogger();
  const sdk = new InMemorySdk().start();
  const attempt = async (run: () => Promise<unknown>): Promise<void> => {
    try {
      shown.push(await run());
    } catch (error) {
      shown.push(error, error instanceof Error ? error.stack : undefined);
    }
  };
  try {
    await attempt(async () => {
      const saver = new PostgresSaver(open(), undefined, { logger, retry: false });
      shown.push(saver);
      await attempt(() => saver.health());
      await attempt(() => saver.setup());
      await attempt(() => saver.getTuple(threadConfig("t")));
      await attempt(() => saver.list(threadConfig("t")).next());
      await attempt(() => saver.withThreadLock("t", () => 1));
      await attempt(() => saver.watch("t").next());
      await saver.end();
    });
    await attempt(async () => {
      const database = openDatabase(open());
      await attempt(() => migrateToLatest(database.kysely));
      await attempt(() => migrationStatus(database.kysely));
      await database.close();
    });
    shown.push(
      logger.lines,
      sdk.spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      [...(await sdk.measured()).values()],
    );
  } finally {
    await sdk.stop();
  }
  return shown.map((one) => inspect(one, { depth: Infinity, showHidden: true })).join("\n");
}

const COMMANDS = [["migrate"], ["migrate", "status"], ["doctor"], ["threads"], ["verify"], ["export"]];

/**
 * Everything that commands print for a connection string: passed as an option, by the environment, and as an
 * argument by mistake.
 */
export async function shownByCommands(url: string): Promise<string> {
  const [first = [], ...others] = COMMANDS;
  const outcomes = [
    await cli([...first, "--verbose", "--json"], { env: { DATABASE_URL: url } }),
    await cli([...first, `--url=${url}`, "--verbose"]),
    await cli([...first, url, "--json"]),
    await cli([url]),
    await cli(["migrate", `--ulr=${url}`]),
  ];
  for (const command of others) outcomes.push(await cli([...command, "--url", url, "--verbose"]));
  return outcomes.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join("\n");
}

/** The encodings of a password, and the pieces that a parser may split it into. */
export function spellingsOf(password: string): string[] {
  const pieces = password.split(/[:/?#@ %]/).filter((piece) => piece.length > 3);
  return [...new Set([password, encodeURIComponent(password), encodeURI(password), ...pieces])];
}
