import { Command, type Option } from "commander";
import packageJson from "../../../package.json" with { type: "json" };
import { COMMAND_GROUPS, type CommandDefinition, type RunnableCommand } from "../command-definition.js";
import { optionsOfAllCommands, DATABASE_OPTIONS, LOCK_TIMEOUT } from "../options/common-options.js";
import { COMMANDS } from "../commands/index.js";
import { EXIT_CODE_HELP } from "../command-io.js";
import { explainUsageError, reportUsageError } from "../errors/report-failure.js";
import type { CommandRuntime } from "./run-command.js";

const NAME = "langgraph-checkpoint-kysely";
const DEFAULT_WIDTH = 100;
/** The minimum width of a column of help. If there is less room, help is not wrapped. */
const MIN_HELP_COLUMN = 20;

/** Runs a command with the options and arguments that the parser found. */
export type Execute = (command: RunnableCommand, flags: unknown) => Promise<void>;

/** Builds the parser of all commands and options. */
export function createProgram(runtime: CommandRuntime, execute: Execute): Command {
  const { io, redact } = runtime;
  const program = new Command(NAME)
    .description(
      "Inspects, changes, deletes, checks and backs up LangGraph checkpoints and long-term memory in PostgreSQL, and migrates their tables.",
    )
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // The parser may quote an argument that is a connection string.
      writeErr: (text) => io.stderr.write(redact(text)),
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? DEFAULT_WIDTH,
    });
  const withUsageErrors = (command: Command): Command =>
    command.configureOutput({
      outputError: (text) => {
        // Redact before explainUsageError joins lines: a secret may hold line breaks.
        reportUsageError(explainUsageError(redact(text), command), runtime);
      },
    });
  withUsageErrors(program).commandsGroup("Help:").helpCommand(true);
  const common = optionsOfAllCommands();
  for (const option of common) program.addOption(option);
  const inapplicable = new Map<Command, readonly Option[]>();
  // By default, the help of `migrate status` would list the options of `migrate`, which it does not accept.
  program.configureHelp({
    showGlobalOptions: true,
    minWidthToWrap: MIN_HELP_COLUMN,
    visibleGlobalOptions: (command) =>
      command === program
        ? []
        : common.filter((option) => inapplicable.get(command)?.includes(option) !== true),
  });
  for (const group of COMMAND_GROUPS) {
    for (const command of COMMANDS.filter((one) => (one.group ?? "Tables") === group)) {
      addCommand(program, command, {
        execute,
        withUsageErrors,
        common,
        inapplicable,
        takesLocks: false,
      }).helpGroup(`${group}:`);
    }
  }
  return addHelp(
    program,
    COMMANDS.flatMap(({ examples }) => examples.slice(0, 1)),
  );
}

interface Registration {
  readonly execute: Execute;
  /** Makes a command report usage errors in our format. */
  readonly withUsageErrors: (command: Command) => Command;
  /** The options of every command. */
  readonly common: readonly Option[];
  /** Collects those of them that a command does not accept. */
  readonly inapplicable: Map<Command, readonly Option[]>;
  readonly takesLocks: boolean;
}

function addCommand(parent: Command, definition: CommandDefinition, registration: Registration): Command {
  const { execute, common, inapplicable } = registration;
  const takesLocks = registration.takesLocks || definition.takesLocks === true;
  const command = registration
    .withUsageErrors(parent.command(definition.name))
    .description(definition.summary);
  const refused = refusedOptions(definition, takesLocks);
  inapplicable.set(
    command,
    common.filter(({ long }) => refused.includes(long ?? "")),
  );
  for (const argument of definition.args?.() ?? []) command.addArgument(argument);
  for (const option of definition.options?.() ?? []) command.addOption(option);
  for (const subcommand of definition.subcommands ?? []) {
    addCommand(command, subcommand, { ...registration, takesLocks });
  }
  if (isRunnable(definition)) {
    command.action(async () => {
      refuseOptionsOfParent(command, parent);
      refuseOptions(command, inapplicable.get(command) ?? []);
      await execute(definition, { ...command.optsWithGlobals<object>(), ...argumentsOf(command) });
    });
  }
  return addHelp(command, definition.examples);
}

function isRunnable(definition: CommandDefinition): definition is RunnableCommand {
  return definition.run !== undefined || definition.runAlone !== undefined;
}

/** The options of every command that would have no effect on this one. */
function refusedOptions(definition: CommandDefinition, takesLocks: boolean): readonly string[] {
  return [
    ...(takesLocks ? [] : [LOCK_TIMEOUT]),
    ...(definition.runAlone === undefined ? [] : DATABASE_OPTIONS),
  ];
}

/** The arguments that were given, by their names. */
function argumentsOf(command: Command): Record<string, unknown> {
  const values: readonly unknown[] = command.processedArgs;
  return Object.fromEntries(
    command.registeredArguments
      .map((argument, index) => [argument.name(), values[index]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** The parser would accept `migrate down --plan`, and the command would revert a step instead of printing a plan. */
function refuseOptionsOfParent(command: Command, parent: Command): void {
  if (parent.parent === null) return;
  const given = parent.options.find((option) => parent.getOptionValue(option.attributeName()) !== undefined);
  if (given !== undefined)
    command.error(`error: option '${given.flags}' does not apply to '${command.name()}'`);
}

function refuseOptions(command: Command, refused: readonly Option[]): void {
  const values = command.optsWithGlobals<Record<string, unknown>>();
  const given = refused.find((option) => values[option.attributeName()] !== undefined);
  if (given !== undefined) {
    command.error(`error: option '${given.long ?? given.flags}' does not apply to '${command.name()}'`);
  }
}

function addHelp(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ npx ${NAME} ${example}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}\n\n${EXIT_CODE_HELP}`);
}
