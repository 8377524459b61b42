import { defineConfig } from "vitepress";
import { linkToRepository } from "./repository-links.js";
import { sidebar } from "./sidebar.js";
import { slugify } from "./slugify.js";

export default defineConfig({
  title: "langgraph-checkpoint-kysely",
  description: "Durable state for LangGraph.js agents in PostgreSQL",
  cleanUrls: true,
  markdown: { anchor: { slugify }, config: linkToRepository },
  // The index of the search is one chunk.
  vite: { build: { chunkSizeWarningLimit: 2_500 } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Command line", link: "/cli" },
      { text: "API", link: "/api/" },
    ],
    sidebar: [...sidebar],
  },
});
