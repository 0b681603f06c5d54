// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Nothing is called: the link check asks whether the archive beside this file is complete.

int main() { return 0; }
