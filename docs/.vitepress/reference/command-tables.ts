import { type Argument, Help, type Option } from "commander";
import { COMMAND_GROUPS, type CommandDefinition } from "../../../src/cli/command-definition.js";
import { COMMANDS } from "../../../src/cli/commands/index.js";
import { optionsOfAllCommands } from "../../../src/cli/options/common-options.js";
import { code, type Row, table } from "./tables.js";

const HELP = new Help();

/** The names of the tables. */
export const COMMAND_TABLES = ["CommonOptions", "Commands"];

/** A table of what `--help` says: about the options of every command, or about each command. */
export function commandTable(name: string): string {
  if (name === "CommonOptions") return table(["option", "meaning"], optionsOfAllCommands().map(optionRow));
  const groups = COMMAND_GROUPS.map((group) => [
    `**${group}**`,
    table(
      ["command", "argument or option", "meaning"],
      COMMANDS.filter((command) => (command.group ?? "Tables") === group).flatMap((command) =>
        rowsOf(command, command.name),
      ),
    ),
  ]);
  return groups.flat().join("\n\n");
}

function rowsOf(definition: CommandDefinition, name: string): Row[] {
  const given = [
    ...(definition.args?.() ?? []).map(argumentRow),
    ...(definition.options?.() ?? []).filter(({ hidden }) => !hidden).map(optionRow),
  ];
  return [
    [code(name), "", definition.summary],
    ...given.map((row) => ["", ...row]),
    ...(definition.subcommands ?? []).flatMap((subcommand) =>
      rowsOf(subcommand, `${name} ${subcommand.name}`),
    ),
  ];
}

function argumentRow(argument: Argument): Row {
  const name = argument.name() + (argument.variadic ? "..." : "");
  return [code(argument.required ? `<${name}>` : `[${name}]`), HELP.argumentDescription(argument)];
}

function optionRow(option: Option): Row {
  return [code(option.flags), HELP.optionDescription(option)];
}
