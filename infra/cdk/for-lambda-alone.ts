import type { Plugin } from "esbuild";

/** What stands for a reader of credentials that Lambda does not have: the next source is asked. */
const noCredentials = (name: string): string =>
  `export const ${name}=()=>async()=>{throw Object.assign(new Error("not a source of credentials on Lambda"),{tryNextLink:true})};`;

const replaced: Readonly<Record<string, string>> = {
  "@aws-sdk/credential-provider-ini": noCredentials("fromIni"),
  "@aws-sdk/credential-provider-process": noCredentials("fromProcess"),
  "@aws-sdk/credential-provider-sso": noCredentials("fromSSO"),
  "@aws-sdk/credential-provider-web-identity": noCredentials("fromTokenFile"),
  bowser: "export default {};",
};

/**
 * Leaves out of a bundle what the SDK loads only elsewhere: readers of a developer's profiles and sign-ins (a function has its
 * credentials in its environment), with the clients they bring, and a table of browsers.
 */
export const forLambdaAlone: Plugin = {
  name: "for-lambda-alone",
  setup(build) {
    build.onResolve(
      { filter: /^(?:bowser|@aws-sdk\/credential-provider-(?:ini|process|sso|web-identity))$/ },
      ({ path }) => ({
        path,
        namespace: "for-lambda-alone",
      }),
    );
    build.onLoad({ filter: /.*/, namespace: "for-lambda-alone" }, ({ path }) => ({
      contents: replaced[path] ?? "",
      loader: "js",
    }));
  },
};
