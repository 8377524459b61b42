import { createHook, executionAsyncId } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A function of a chain of calls. */
export interface Hop {
  readonly file: string;
  readonly name: string;
}

/**
 * Makes a call, and returns the named functions of a folder that return a promise and through which it goes until it first writes to a
 * socket, the innermost first. They are on the stack of the write, or on that of an `await` that led there: the stack of the write
 * ends with the `await` before it, and what V8 adds to it ends where a queue goes on.
 *
 * @param folder - Ends with a slash.
 */
export async function hopsToSocket(call: () => Promise<unknown>, folder: string): Promise<Hop[]> {
  const awaits = new Map<number, { readonly from: number; readonly stack: readonly Hop[] }>();
  const hook = createHook({
    init: (id) => awaits.set(id, { from: executionAsyncId(), stack: stackIn(folder) }),
  });
  const start = executionAsyncId();
  let passed: Hop[] | undefined;
  const stopWatching = watchWrites(() => {
    if (passed !== undefined) return;
    const stacks: (readonly Hop[])[] = [stackIn(folder)];
    let id = executionAsyncId();
    for (let made = awaits.get(id); made !== undefined; made = awaits.get(id)) {
      stacks.push(made.stack);
      id = made.from;
    }
    // Otherwise something else has written.
    if (id === start) passed = stacks.flat();
  });
  hook.enable();
  try {
    await call();
  } finally {
    hook.disable();
    stopWatching();
  }
  const distinct = new Map(passed?.map((hop) => [`${hop.file} ${hop.name}`, hop]));
  return [...distinct.values()].filter(returnsPromise);
}

/** Calls `see` before each write to a socket. */
function watchWrites(see: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(Socket.prototype, "write");
  const write: unknown = Reflect.get(Socket.prototype, "write");
  if (typeof write !== "function") throw new TypeError("a socket without a method write");
  const watched = function (this: Socket, ...args: unknown[]): unknown {
    see();
    const result: unknown = Reflect.apply(write, this, args);
    return result;
  };
  Reflect.set(Socket.prototype, "write", watched);
  return () => {
    // It is inherited.
    if (own === undefined) Reflect.deleteProperty(Socket.prototype, "write");
    else Object.defineProperty(Socket.prototype, "write", own);
  };
}

/** The named functions of a folder that run now, the innermost first. */
function stackIn(folder: string): Hop[] {
  const { stackTraceLimit } = Error;
  const prepare: unknown = Reflect.get(Error, "prepareStackTrace");
  let sites: readonly NodeJS.CallSite[] = [];
  Error.stackTraceLimit = Infinity;
  Error.prepareStackTrace = (_, all) => {
    sites = all;
    return "";
  };
  // The first access prepares the stack.
  void new Error("stack").stack;
  Object.assign(Error, { prepareStackTrace: prepare, stackTraceLimit });
  return sites.flatMap((site) => {
    // What waits is on the stack of its `await`.
    if (site.isAsync()) return [];
    const url = site.getFileName() ?? "";
    const file = url.startsWith("file:") ? fileURLToPath(url) : url;
    // Methods may have the name of their class before their own.
    const name = site.getFunctionName()?.split(".").at(-1) ?? "";
    return file.startsWith(folder) && name !== "" ? [{ file, name }] : [];
  });
}

/** Whether the source of a function is `async` or says that it returns a promise. */
function returnsPromise({ file, name }: Hop): boolean {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const isThat = (node: ts.Node): boolean =>
    ts.isFunctionLike(node) && nameOf(node) === name && (isAsync(node) || saysPromise(node));
  const visit = (node: ts.Node): boolean => isThat(node) || ts.forEachChild(node, visit) === true;
  return visit(source);
}

/** The name that V8 gives to a function: its own, or that of what it is assigned to. */
function nameOf({ name, parent }: ts.SignatureDeclaration): string | undefined {
  if (name !== undefined) return name.getText();
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText()
    : undefined;
}

function isAsync(node: ts.SignatureDeclaration): boolean {
  if (!ts.canHaveModifiers(node)) return false;
  return ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
}

function saysPromise({ type }: ts.SignatureDeclaration): boolean {
  return type !== undefined && /^Promise(Like)?</.test(type.getText());
}
