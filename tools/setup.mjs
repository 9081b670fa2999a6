// node tools/setup.mjs start|test|bench|cli
//
// Run by npm before these commands, so that each works on a machine that has only Node and npm.
// Writes to stderr, and nothing at all when there is nothing to do.

var wanted = [20, 19];
var version = process.versions.node.split('.').map(Number);

// This file is as old-fashioned as its reader may be: an old Node has to be able to read it.
if (version[0] > wanted[0] || (version[0] === wanted[0] && version[1] >= wanted[1])) {
  void import('./steps.mjs').then(function (steps) {
    return steps.setUp(process.argv[2]);
  });
} else {
  console.error('This needs Node ' + wanted.join('.') + ' or later; here runs ' + process.version);
  process.exitCode = 1;
}
