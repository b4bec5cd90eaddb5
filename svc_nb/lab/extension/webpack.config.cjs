// The ids given by default depend on where the checkout is: named ones make the same bytes everywhere.
module.exports = { context: __dirname, optimization: { moduleIds: 'named', chunkIds: 'named' } };
