interface Tried {
  readonly name: string;
  /** The package that exports it. */
  readonly from: string;
  /** What the phases of its client try. */
  readonly tried: string;
}

/** The table of docs/clients.md. */
export const TRIED: readonly Tried[] = [
  {
    name: "createAgent",
    from: "langchain",
    tried:
      "middleware that asks a person, keeps a to-do list and summarizes; streams; a branch before an answer; " +
      "memories in the store by namespace, as LangMem's tools in Python keep them",
  },
  {
    name: "createDeepAgent",
    from: "deepagents",
    tried: "files in the state and in the store, a subagent that asks, memories in another thread, a branch",
  },
  {
    name: "createSupervisor",
    from: "@langchain/langgraph-supervisor",
    tried: "two agents with the full history, one of which asks; a branch",
  },
  {
    name: "createSwarm",
    from: "@langchain/langgraph-swarm",
    tried: "handoffs, an agent that asks, the next turn with the agent that was active; a branch",
  },
  {
    name: "createEmbedServer",
    from: "@langchain/langgraph-api",
    tried: "with `PostgresConversations` and the clients below",
  },
  {
    name: "useStream",
    from: "@langchain/react",
    tried: "a streamed answer, a question that a new server shows again, its answer, an edited message",
  },
  {
    name: "Client",
    from: "@langchain/langgraph-sdk",
    tried: "conversations are created, found, changed and deleted; states and history",
  },
];
