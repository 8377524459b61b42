import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import type { CommandDefinition } from "./command-definition.js";
import { commonOptions } from "./common-options.js";
import { COMMANDS } from "./commands/index.js";
import { EXIT_CODE_HELP } from "./exit-code.js";
import type { CommandRuntime } from "./run-command.js";

const NAME = "langgraph-checkpoint";
const DEFAULT_WIDTH = 100;

/** Runs a command with the options that the parser found. */
export type Execute = (command: CommandDefinition, options: unknown) => Promise<void>;

/** Builds the parser: every command of the registry, with the options that all of them have. */
export function createProgram({ io, redact }: CommandRuntime, execute: Execute): Command {
  const program = new Command(NAME)
    .description("Looks after the tables of LangGraph checkpoints in PostgreSQL.")
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // What the parser quotes may be a connection string that lost its option.
      writeErr: (text) => io.stderr.write(redact(text)),
      outputError: (text, write) => {
        write(`${text.trim().replaceAll("\n", " ")}\n`);
      },
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.stderr.columns ?? DEFAULT_WIDTH,
    });
  const common = commonOptions();
  for (const option of common) program.addOption(option);
  // The parser's own idea has the options of `migrate` in the help of `migrate status`, which does not take them.
  program.configureHelp({
    showGlobalOptions: true,
    visibleGlobalOptions: (command) => (command === program ? [] : common),
  });
  for (const command of COMMANDS) addCommand(program, command, execute);
  return addHelp(
    program,
    COMMANDS.flatMap(({ examples }) => examples),
  );
}

function addCommand(parent: Command, definition: CommandDefinition, execute: Execute): void {
  const command = parent.command(definition.name).description(definition.summary);
  for (const option of definition.options?.() ?? []) command.addOption(option);
  for (const subcommand of definition.subcommands ?? []) addCommand(command, subcommand, execute);
  command.action(async () => {
    refuseOptionsOfParent(command, parent);
    await execute(definition, command.optsWithGlobals());
  });
  addHelp(command, definition.examples);
}

/** `migrate down --plan` would undo a step: the parser takes an option of `migrate` wherever it stands. */
function refuseOptionsOfParent(command: Command, parent: Command): void {
  if (parent.parent === null) return;
  const stray = parent.options.find((option) => parent.getOptionValue(option.attributeName()) !== undefined);
  if (stray !== undefined) command.error(`error: option '${stray.flags}' is none of '${command.name()}'`);
}

function addHelp(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ ${NAME} ${example}`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}\n\n${EXIT_CODE_HELP}`);
}
