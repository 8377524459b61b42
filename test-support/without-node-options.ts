/** The environment for a process that a user would start, without the Node options of Jest. */
export function withoutNodeOptions(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: "" };
}
