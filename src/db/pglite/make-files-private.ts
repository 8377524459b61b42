import { withoutOthers } from "./make-private-folder.js";

type Operation = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Makes an open PGlite create its files for their owner alone. Its file system calls `chmod` with the mode
 * that Postgres asks for, so that the umask of the process has no effect. PGlite's own umask is unset unless
 * Postgres sets it.
 *
 * @param pglite - A PGlite in a folder. If its file system is not as expected nothing changes: the folder is
 *   private anyway.
 */
export function makeFilesPrivate(pglite: object): void {
  const operations = ["Module", "FS", "filesystems", "NODEFS"].reduce<unknown>(propertyOf, pglite);
  const nodes = propertyOf(operations, "node_ops");
  // mknod(parent, name, mode, device)
  replace(nodes, "mknod", ([parent, name, mode, ...rest]) => [parent, name, narrowed(mode), ...rest]);
  // setattr(nodeOrStream, attributes)
  const narrowAttributes = ([file, attributes, ...rest]: unknown[]): unknown[] => [
    file,
    withNarrowedMode(attributes),
    ...rest,
  ];
  replace(nodes, "setattr", narrowAttributes);
  replace(propertyOf(operations, "stream_ops"), "setattr", narrowAttributes);
}

function replace(operations: unknown, name: string, change: (args: unknown[]) => unknown[]): void {
  const original = propertyOf(operations, name);
  if (typeof operations !== "object" || operations === null || !isOperation(original)) return;
  const replaced: Operation = function (...args) {
    return original.apply(this, change(args));
  };
  Reflect.set(operations, name, replaced);
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "function";
}

function withNarrowedMode(attributes: unknown): unknown {
  const mode = propertyOf(attributes, "mode");
  return typeof mode === "number" ? { ...Object(attributes), mode: withoutOthers(mode) } : attributes;
}

function narrowed(mode: unknown): unknown {
  return typeof mode === "number" ? withoutOthers(mode) : mode;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
