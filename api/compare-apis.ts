import ts from "typescript";
import type { Declaration } from "./declarations.js";
import { givenTypes } from "./given-types.js";

/** How much the version number must grow, the least first. */
export const LEVELS = ["patch", "minor", "major"] as const;

export type Level = (typeof LEVELS)[number];

/** What differs between two versions of an API. */
export interface Change {
  /** The exported name, or the type that exported ones mention. */
  readonly name: string;
  /** Of a class or an interface: the member. */
  readonly member?: string;
  readonly level: Level;
  readonly what: string;
}

type Declarations = ReadonlyMap<string, Declaration>;

const printer = ts.createPrinter({ removeComments: true });

/**
 * Compares two versions of the API of an entry point. It takes a change of a type as one that breaks callers, even if the new type accepts
 * more, because that can't be told from the text.
 *
 * @param before - The declarations of the earlier version.
 * @param now - Those of the later one.
 * @returns One change for each exported name, or member of one, that was added, removed or changed. A change of what is marked
 *   `@experimental` is minor.
 */
export function compareApis(before: Declarations, now: Declarations): Change[] {
  const given = givenTypes(now);
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name) => {
    const old = before.get(name);
    const current = now.get(name);
    const changes = changesOf(name, old, current, given.has(name));
    const isExperimental = old === undefined || old.nodes.some(isMarked);
    return isExperimental ? changes.map((change) => ({ ...change, level: "minor" as const })) : changes;
  });
}

/** Returns the highest level of the changes. */
export function levelOf(changes: readonly Change[]): Level {
  return LEVELS[Math.max(0, ...changes.map(({ level }) => LEVELS.indexOf(level)))] ?? "major";
}

function changesOf(
  name: string,
  old: Declaration | undefined,
  current: Declaration | undefined,
  isGiven: boolean,
): Change[] {
  // A type that is no longer mentioned has gone with what mentioned it, and a new one comes with it.
  if (current === undefined)
    return old?.isExported === true ? [{ name, level: "major", what: "is removed" }] : [];
  if (old === undefined) return current.isExported ? [{ name, level: "minor", what: "is new" }] : [];
  const changes: Change[] = [];
  if (old.isExported && !current.isExported)
    changes.push({ name, level: "major", what: "is no longer exported" });
  if (!old.isExported && current.isExported) changes.push({ name, level: "minor", what: "is exported now" });
  const [oldParts, parts] = [partsOf(old), partsOf(current)];
  for (const member of new Set([...oldParts.keys(), ...parts.keys()])) {
    const change = changeOfPart(oldParts.get(member), parts.get(member), isGiven);
    if (change !== undefined) changes.push({ name, ...(member !== "" && { member }), ...change });
  }
  return changes;
}

function changeOfPart(
  old: Part | undefined,
  part: Part | undefined,
  isGiven: boolean,
): Pick<Change, "level" | "what"> | undefined {
  const worst = old?.isExperimental === true ? "minor" : "major";
  if (part === undefined) return { level: worst, what: "is removed" };
  if (old === undefined) {
    const breaks = isGiven && part.isRequired;
    return {
      level: breaks ? "major" : "minor",
      what: breaks ? "is new, and callers must give it" : "is new",
    };
  }
  if (!old.isExperimental && part.isExperimental)
    return { level: "major", what: "is marked as experimental" };
  if (old.text === part.text) return undefined;
  const accepts = old.parameters !== undefined && part.parameters !== undefined && acceptsMore(old, part);
  return accepts
    ? { level: "minor", what: "takes more arguments" }
    : { level: worst, what: `is changed from ${old.text} to ${part.text}` };
}

/** What is compared as one: a member, or what a declaration says beside its members. */
interface Part {
  readonly text: string;
  /** Whether an object without it is not of the type. */
  readonly isRequired: boolean;
  readonly isExperimental: boolean;
  /** Of something that is called: its parameters, and the text without them. */
  readonly parameters?: readonly ts.ParameterDeclaration[] | undefined;
  readonly rest?: string;
}

/** Whether the new parameters begin with the old ones, and the others may be left out. */
function acceptsMore(old: Part, part: Part): boolean {
  const [before = [], now = []] = [old.parameters, part.parameters];
  return (
    old.rest === part.rest &&
    before.every((parameter, index) => parameter.getText() === now[index]?.getText()) &&
    now.slice(before.length).every(({ questionToken, dotDotDotToken }) => questionToken ?? dotDotDotToken)
  );
}

/** Returns the members by their names, and under the empty name what the declaration says beside them. */
function partsOf({ nodes }: Declaration): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const node of nodes) {
    const members = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? node.members : undefined;
    add(parts, "", partOf(node, members === undefined ? textOf(node) : headOf(node)));
    for (const member of members ?? []) add(parts, memberName(member), partOf(member, textOf(member)));
  }
  return parts;
}

/** Overloads are one part. */
function add(parts: Map<string, Part>, name: string, part: Part): void {
  const known = parts.get(name);
  parts.set(
    name,
    known === undefined ? part : { ...known, text: `${known.text} ${part.text}`, parameters: undefined },
  );
}

function partOf(node: ts.Node, text: string): Part {
  const isRequired =
    !(ts.isPropertySignature(node) || ts.isMethodSignature(node)) || node.questionToken === undefined;
  const isExperimental = isMarked(node);
  if (!isCallable(node)) return { text, isRequired, isExperimental };
  const { parameters } = node;
  const rest = `${text.slice(0, text.indexOf("("))} ${node.type?.getText() ?? ""}`;
  return { text, isRequired, isExperimental, parameters, rest };
}

function isCallable(
  node: ts.Node,
): node is ts.FunctionDeclaration | ts.MethodDeclaration | ts.MethodSignature | ts.ConstructorDeclaration {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isConstructorDeclaration(node)
  );
}

/** Whether a declaration or a member is experimental by its own comment. */
function isMarked(node: ts.Node): boolean {
  return node.getFullText().slice(0, node.getLeadingTriviaWidth()).includes("@experimental");
}

function memberName(member: ts.ClassElement | ts.TypeElement): string {
  const isStatic =
    ts.canHaveModifiers(member) &&
    (ts.getModifiers(member) ?? []).some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
  return `${isStatic ? "static " : ""}${member.name?.getText() ?? (ts.isConstructorDeclaration(member) ? "constructor" : member.getText())}`;
}

function headOf(node: ts.Node): string {
  const text = textOf(node);
  return text.slice(0, text.indexOf("{")).replace("export ", "").trim();
}

function textOf(node: ts.Node): string {
  return printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/\s+/g, " ")
    .replace("export ", "");
}
