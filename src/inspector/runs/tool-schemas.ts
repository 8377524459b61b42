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
  const schemas = new Map<string, object>();
  for (const { nodes } of graphsWithin(graph)) {
    for (const node of Object.values(nodes)) {
      const bound = isObject(node) && "bound" in node ? node.bound : undefined;
      const tools = isObject(bound) && "tools" in bound && isArray(bound.tools) ? bound.tools : [];
      for (const tool of tools) {
        if (!isObject(tool) || !("name" in tool && "schema" in tool)) continue;
        const { name, schema } = tool;
        if (typeof name === "string" && isObject(schema) && !schemas.has(name)) schemas.set(name, schema);
      }
    }
  }
  return schemas;
}

function graphsWithin(graph: InspectedGraph): readonly GraphNames[] {
  return [graph, ...[...(graph.getSubgraphs?.(undefined, true) ?? [])].map(([, inner]) => inner)];
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
