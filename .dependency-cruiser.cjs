/** The directions of the architecture: infra → functions → lib; cli → lib/client. See README, "Architecture". */
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });
const notTest = { pathNot: "\\.(test|contract|testkit)\\.ts$" };

module.exports = {
  forbidden: [
    rule(
      "no-cycles",
      "lib has no cycles, nor has anything else",
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    ),
    rule(
      "lib-below-all",
      "lib knows neither functions, infra nor cli",
      { path: "^lib/", ...notTest },
      { path: "^(functions|infra|cli|features|bench|demo)/" },
    ),
    rule(
      "functions-know-lib-only",
      "functions → lib",
      { path: "^functions/", ...notTest },
      { path: "^(infra|cli|features|bench|demo)/" },
    ),
    rule(
      "functions-do-not-know-siblings",
      "a function's room knows no other function's",
      { path: "^functions/([^/]+)/", ...notTest },
      { path: "^functions/", pathNot: "^functions/($1/|[^/]+\\.ts$)" },
    ),
    rule(
      "cli-uses-client",
      "the command line talks to the service through lib/client",
      { path: "^cli/", ...notTest },
      { path: "^functions/" },
    ),
    rule(
      "renderers-apart",
      "the CDK renderer does not know the local one",
      { path: "^infra/cdk/" },
      { path: "^infra/local/" },
    ),
    rule(
      "renderers-apart-too",
      "the local renderer does not know the CDK one",
      { path: "^infra/local/" },
      { path: "^infra/cdk/" },
    ),
    rule(
      "features-do-not-know-aws",
      "features speak HTTP and the domain",
      { path: "^features/" },
      { path: "@aws-sdk|aws-cdk" },
    ),
    rule(
      "tool-runner-knows-no-plan",
      "lib/tools and lib/workspace know no plan and no run",
      { path: "^lib/(tools|workspace)/", ...notTest },
      { path: "^lib/(plan|run|service|runtime)/" },
    ),
    rule(
      "stores-know-no-http",
      "adapters know neither HTTP nor the service",
      { path: "^lib/.*/(dynamodb|s3|sqs)-[^/]*\\.ts$", ...notTest },
      { path: "^lib/(api|service|client)/" },
    ),
    rule(
      "no-dev-dependencies",
      "what ships needs no development dependency",
      { path: "^(lib|functions|cli|infra/local)/", ...notTest },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    ),
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    // No rule is about them, and the parser does not know `using`.
    exclude: { path: "\\.test\\.ts$" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".cjs"],
    },
  },
};
