import type { CommandDefinition } from "../command-definition.js";
import { migrate } from "./migrate.js";

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly CommandDefinition[] = [migrate];
