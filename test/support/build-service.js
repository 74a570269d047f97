// Before any suite: tests that start the service as a process of its own start the build, as users do, and need not compile
// it again each time.
module.exports = () => {
  require('../../scripts/build-if-needed.js');
};
