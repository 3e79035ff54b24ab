/** Where the repository is: manifests and links in the READMEs of published packages are made from it. A placeholder until there is one. */
export const repositoryUrl = "https://github.com/lockstep-jobs/lockstep";
