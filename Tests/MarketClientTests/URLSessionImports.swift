// SPDX-License-Identifier: Apache-2.0
// For URLSessionTransport.swift, which the tests compile again: in its own module it needs no import.
@_exported import MarketClient
