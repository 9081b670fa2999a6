// node dev/tools/setup.mjs start|test|bench|cli
//
// npm runs this before these commands, so that each works on a machine that has only Node and npm. It
// writes to stderr, and nothing when there is nothing to do.

var wanted = [20, 19];
var version = process.versions.node.split('.').map(Number);

// Old syntax, because an old Node must be able to run this far.
if (version[0] > wanted[0] || (version[0] === wanted[0] && version[1] >= wanted[1])) {
  void import('./steps.mjs').then(function (steps) {
    return steps.setUp(process.argv[2]);
  });
} else {
  console.error('This needs Node ' + wanted.join('.') + ' or later; this is ' + process.version);
  process.exitCode = 1;
}
