/** The words that LangChain's agents and LangGraph use in names of nodes, as a person reads them. */
const WORDS: Readonly<Record<string, string>> = {
  __start__: "Start",
  __end__: "End",
  model_request: "Model",
  tools: "Tools",
  "HumanInTheLoopMiddleware.after_model": "Asks a person",
};

const MIDDLEWARE = /^(?<name>.+?)(?:Middleware)?\.(?<when>before|after)_(?<what>agent|model)$/;

/** What a person calls a node. A middleware of LangChain has a node for each place at which it acts. */
export function nodeName(name: string): string {
  if (Object.hasOwn(WORDS, name)) return WORDS[name] ?? name;
  const { name: middleware, when, what } = MIDDLEWARE.exec(name)?.groups ?? {};
  return middleware === undefined ? name : `${middleware}, ${when ?? ""} the ${what ?? ""}`;
}
