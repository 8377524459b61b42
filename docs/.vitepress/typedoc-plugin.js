import { Converter, ReflectionKind } from "typedoc";

/** The import specifier of each entry point, by the name that TypeDoc derives from its path. */
const SPECIFIERS = new Map([
  ["index", "langgraph-checkpoint-kysely"],
  ["conformance", "langgraph-checkpoint-kysely/conformance"],
  ["conversations", "langgraph-checkpoint-kysely/conversations"],
  ["cache", "langgraph-checkpoint-kysely/cache"],
  ["checkpoint-store", "langgraph-checkpoint-kysely/checkpoint-store"],
  ["checkpoint-store/redis", "langgraph-checkpoint-kysely/checkpoint-store/redis"],
  ["checkpoint-store/sqlite", "langgraph-checkpoint-kysely/checkpoint-store/sqlite"],
  ["db", "langgraph-checkpoint-kysely/db"],
  ["inspector", "langgraph-checkpoint-kysely/inspector"],
  ["migrations", "langgraph-checkpoint-kysely/migrations"],
  ["serde", "langgraph-checkpoint-kysely/serde"],
  ["store", "langgraph-checkpoint-kysely/store"],
]);

/**
 * Names the modules after their import specifiers, and resolves a `{@link Name}` to any exported symbol. TypeDoc itself
 * resolves only what the file of the comment imports.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const specifier = SPECIFIERS.get(module.name);
      if (specifier === undefined)
        throw new Error(`typedoc-plugin.js does not know the module ${module.name}`);
      module.name = specifier;
    }
  });
  app.converter.addUnknownSymbolResolver((reference, reflection) => {
    const [name, member, ...deeper] = reference.symbolReference?.path?.map(({ path }) => path) ?? [];
    if (name === undefined || deeper.length > 0) return undefined;
    const exported = reflection.project
      .getReflectionsByKind(ReflectionKind.SomeExport)
      .find((other) => other.name === name && other.parent?.kindOf(ReflectionKind.Module));
    const target = member === undefined ? exported : exported?.getChildByName([member]);
    return target && { target, caption: reference.symbolReference?.path?.map(({ path }) => path).join(".") };
  });
}
