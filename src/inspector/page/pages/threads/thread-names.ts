type Metadata = Readonly<Record<string, string | number | boolean>>;

// The names that services give to these in their metadata, the one that says most first. `graph_id` is that of LangGraph's own servers.
const TITLES = ["title", "thread_title", "subject", "thread_name"];
const GRAPHS = ["graph_id", "graph", "graph_name", "agent", "agent_name"];
const USERS =
  /^(?:(?:langgraph_auth_)?(?:user|customer|client|owner|account|member|author)(?:[._-]?(?:e?mail|name|id))?|e?[_-]?mail)$/i;

/** What the metadata of a thread say about it, in the words of its service. */
export interface ThreadNames {
  readonly title?: string | undefined;
  readonly user?: string | undefined;
  readonly graph?: string | undefined;
}

/** Whether a name in metadata is that of a person. */
export function namesUser(name: string): boolean {
  return USERS.test(name);
}

/** Finds out what a thread is about, whose it is and of which graph, where its metadata tell. */
export function namesOf(metadata: Metadata): ThreadNames {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => textAt(metadata, name)).find((text) => text !== undefined);
  const people = Object.keys(metadata).filter(namesUser);
  // A name or an address says more than an id.
  const spoken = people.filter((name) => !/id$/i.test(name));
  return { title: first(TITLES), user: first([...spoken, ...people]), graph: first(GRAPHS) };
}

function textAt(metadata: Metadata, name: string): string | undefined {
  const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
  return value === undefined || typeof value === "boolean" ? undefined : String(value);
}
