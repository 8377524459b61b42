import { isArray, isObject, isRecord } from "../../serde/objects/inspect-object.js";
import type { QuestionForm, ReviewedAction } from "../api/runs.js";
import type { GraphNames, InspectedGraph } from "./inspected-graph.js";

/** Adds the schemas that the tools of a graph have, where the question itself gives none. */
export async function withToolSchemas(form: QuestionForm, graph: InspectedGraph): Promise<QuestionForm> {
  if (form.kind !== "decisions") return form;
  const schemas = toolSchemasOf(graph);
  const actions = form.actions.map(async (action): Promise<ReviewedAction> => {
    const given = action.schema === undefined ? schemas.get(action.name) : undefined;
    const schema = given === undefined ? undefined : await jsonSchemaOf(given);
    return schema === undefined ? action : { ...action, schema };
  });
  return { ...form, actions: await Promise.all(actions) };
}

/** The schemas by the names of the tools. A node for tools, as `createAgent` has one, names them in `tools`. */
function toolSchemasOf(graph: InspectedGraph): ReadonlyMap<string, object> {
  const tools = graphsWithin(graph).flatMap(({ nodes }) => Object.values(nodes).flatMap(toolsOf));
  const schemas = tools.flatMap(({ name, schema }) =>
    typeof name === "string" && isObject(schema) ? [[name, schema] as const] : [],
  );
  // Of tools with the same name, the first one.
  return new Map(schemas.reverse());
}

function toolsOf(node: unknown): readonly { readonly name?: unknown; readonly schema?: unknown }[] {
  const bound = isObject(node) && "bound" in node ? node.bound : undefined;
  const tools: unknown = isObject(bound) && "tools" in bound ? bound.tools : undefined;
  return isArray(tools) ? tools.filter(isObject) : [];
}

/** A graph that can't be looked into is no reason to refuse an answer. */
function graphsWithin(graph: InspectedGraph): readonly GraphNames[] {
  try {
    return [graph, ...[...(graph.getSubgraphs?.(undefined, true) ?? [])].map(([, inner]) => inner)];
  } catch {
    return [graph];
  }
}

/** Returns `undefined` for a schema that has no JSON Schema. Its arguments are edited by the types of their values then. */
async function jsonSchemaOf(schema: object): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { toJsonSchema } = await import("@langchain/core/utils/json_schema");
    const converted: unknown = toJsonSchema(schema);
    return isRecord(converted) ? converted : undefined;
  } catch {
    return undefined;
  }
}
