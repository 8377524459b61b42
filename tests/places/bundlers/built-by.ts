import type { Trial } from "../place.js";

/** The script that builds. */
export interface BuildScript {
  readonly name: string;
  readonly text: string;
  readonly args?: readonly string[];
}

/** Runs a script that bundles the agent, and then the program that it has written. */
export function builtBy({ name, text, args = [] }: BuildScript, program: string): Trial {
  return async (project) => {
    await project.write({ [name]: text });
    return (await project.node(name, ...args)) + (await project.node(program));
  };
}
