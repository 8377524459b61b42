import { Command } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { COMMAND_GROUPS, type CommandDefinition } from "../command-definition.js";
import { commonOptions, LOCK_TIMEOUT } from "../options/common-options.js";
import { COMMANDS } from "../commands/index.js";
import { EXIT_CODE_HELP } from "../exit-code.js";
import { explainUsage, reportUsage } from "../errors/report-usage-error.js";
import type { CommandRuntime } from "./run-command.js";

const NAME = "langgraph-checkpoint-kysely";
const DEFAULT_WIDTH = 100;
/** How narrow a column of help may become before its lines are left to the terminal. */
const MIN_HELP_COLUMN = 20;

/** Runs a command with the options and arguments that the parser found. */
export type Execute = (command: CommandDefinition, flags: unknown) => Promise<void>;

/** Builds the parser: every command of the registry, with the options that all of them have. */
export function createProgram(runtime: CommandRuntime, execute: Execute): Command {
  const { io, redact } = runtime;
  const program = new Command(NAME)
    .description("Looks after LangGraph checkpoints in PostgreSQL: their threads, and their tables.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // What the parser quotes may be a connection string that lost its option.
      writeErr: (text) => io.stderr.write(redact(text)),
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? DEFAULT_WIDTH,
    });
  const refusing = (command: Command): Command =>
    command.configureOutput({
      outputError: (text) => {
        // Masked before its line breaks are taken out, which may be in what is to be masked.
        reportUsage(explainUsage(redact(text), command), runtime);
      },
    });
  refusing(program).commandsGroup("Help:").helpCommand(true);
  const common = commonOptions();
  for (const option of common) program.addOption(option);
  const locking = new Set<Command>();
  // The parser's own idea has the options of `migrate` in the help of `migrate status`, which does not take them.
  program.configureHelp({
    showGlobalOptions: true,
    minWidthToWrap: MIN_HELP_COLUMN,
    visibleGlobalOptions: (command) =>
      command === program
        ? []
        : common.filter((option) => option.long !== LOCK_TIMEOUT || locking.has(command)),
  });
  for (const group of COMMAND_GROUPS) {
    for (const command of COMMANDS.filter((one) => (one.group ?? "Tables") === group)) {
      addCommand(program, command, { execute, refusing, locking, takesLocks: false }).helpGroup(`${group}:`);
    }
  }
  return addHelp(
    program,
    COMMANDS.flatMap(({ examples }) => examples.slice(0, 1)),
  );
}

interface Registry {
  readonly execute: Execute;
  /** Has a command tell what it does not understand. */
  readonly refusing: (command: Command) => Command;
  /** The commands that take the option about locks. */
  readonly locking: Set<Command>;
  readonly takesLocks: boolean;
}

function addCommand(parent: Command, definition: CommandDefinition, registry: Registry): Command {
  const { execute, locking } = registry;
  const takesLocks = registry.takesLocks || definition.takesLocks === true;
  const command = registry.refusing(parent.command(definition.name)).description(definition.summary);
  if (takesLocks) locking.add(command);
  for (const argument of definition.args?.() ?? []) command.addArgument(argument);
  for (const option of definition.options?.() ?? []) command.addOption(option);
  for (const subcommand of definition.subcommands ?? []) {
    addCommand(command, subcommand, { ...registry, takesLocks });
  }
  command.action(async () => {
    refuseOptionsOfParent(command, parent);
    if (!takesLocks) refuseLockTimeout(command);
    await execute(definition, { ...command.optsWithGlobals<object>(), ...argumentsOf(command) });
  });
  return addHelp(command, definition.examples);
}

/** By their names, those that were not given left out. */
function argumentsOf(command: Command): Record<string, unknown> {
  const values: readonly unknown[] = command.processedArgs;
  return Object.fromEntries(
    command.registeredArguments
      .map((argument, index) => [argument.name(), values[index]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** `migrate down --plan` would undo a step: the parser takes an option of `migrate` wherever it stands. */
function refuseOptionsOfParent(command: Command, parent: Command): void {
  if (parent.parent === null) return;
  const stray = parent.options.find((option) => parent.getOptionValue(option.attributeName()) !== undefined);
  if (stray !== undefined) command.error(`error: option '${stray.flags}' is none of '${command.name()}'`);
}

/** A command that waits for no lock would take it for a promise. */
function refuseLockTimeout(command: Command): void {
  const { lockTimeout } = command.optsWithGlobals<{ lockTimeout?: unknown }>();
  if (lockTimeout !== undefined) {
    command.error(`error: option '${LOCK_TIMEOUT}' is none of '${command.name()}'`);
  }
}

function addHelp(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ npx ${NAME} ${example}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}\n\n${EXIT_CODE_HELP}`);
}
